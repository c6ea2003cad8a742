# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models: transformers' and timm's from their own classes, with random weights, and a U-Net. No dropout, so that runs compare.

`build(name, small)` returns (module, inputs, loss): `loss(module, inputs)` is a scalar. `small` makes a model for the simulator."""

import torch
import torch.nn.functional as F
from torch import nn

NAMES = ("llama", "gemma", "gpt2", "t5", "bert", "vit", "swin", "convnext", "resnet50", "unet")
EXTRA = ("llama_flex",)  # attention by Inductor's template of FlexAttention: a Triton kernel with dots


def by_model(module, inputs):
    """The loss that transformers computes."""
    return module(**inputs).loss


def classes(module, inputs):
    return F.cross_entropy(module(inputs["x"]).float(), inputs["labels"])


def pixels(module, inputs):
    return F.cross_entropy(module(inputs["x"]).float(), inputs["labels"])


def texts(rows, length, vocabulary):
    ids = torch.randint(0, vocabulary, (rows, length))
    return {"input_ids": ids, "labels": ids.clone()}


def pictures(rows, side, classes):
    return {"pixel_values": torch.randn(rows, 3, side, side), "labels": torch.randint(0, classes, (rows,))}


def decoder(kind, small, **more):
    """A decoder-only transformer: Llama or Gemma."""
    import transformers

    config = getattr(transformers, kind + "Config")
    sizes = dict(hidden_size=64, intermediate_size=160, num_attention_heads=4, num_key_value_heads=2, head_dim=16, vocab_size=211, num_hidden_layers=1)
    if not small:
        sizes = dict(hidden_size=1024, intermediate_size=2816, num_attention_heads=16, num_key_value_heads=8, head_dim=64, vocab_size=32000, num_hidden_layers=4)
    attention = more.pop("attn_implementation", None)
    made = config(max_position_embeddings=1024, use_cache=False, attention_dropout=0.0, pad_token_id=0, **sizes, **more)
    if attention:
        made._attn_implementation = attention
    rows, length = (2, 24) if small else (8, 1024)
    return getattr(transformers, kind + "ForCausalLM")(made), texts(rows, length, sizes["vocab_size"]), by_model


def llama(small):
    return decoder("Llama", small)


def llama_flex(small):
    return decoder("Llama", small, attn_implementation="flex_attention")


def gemma(small):
    return decoder("Gemma", small)


def gpt2(small):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_embd=48 if small else 768, n_head=3 if small else 12, n_layer=1 if small else 4, vocab_size=211 if small else 50257, n_positions=1024,
                        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False)
    return GPT2LMHeadModel(config), texts(*((2, 24) if small else (8, 1024)), config.vocab_size), by_model


def t5(small):
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(d_model=48 if small else 512, d_kv=16 if small else 64, d_ff=96 if small else 2048, num_heads=3 if small else 8,
                      num_layers=1 if small else 3, num_decoder_layers=1 if small else 3, vocab_size=211 if small else 32128, dropout_rate=0.0, use_cache=False,
                      decoder_start_token_id=0)
    return T5ForConditionalGeneration(config), texts(*((2, 20) if small else (8, 512)), config.vocab_size), by_model


def bert(small):
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(hidden_size=48 if small else 768, num_attention_heads=3 if small else 12, intermediate_size=96 if small else 3072,
                        num_hidden_layers=1 if small else 4, vocab_size=211 if small else 30522, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return BertForMaskedLM(config), texts(*((2, 24) if small else (16, 512)), config.vocab_size), by_model


def vit(small):
    from transformers import ViTConfig, ViTForImageClassification

    side = 32 if small else 224
    config = ViTConfig(hidden_size=48 if small else 768, num_attention_heads=3 if small else 12, intermediate_size=96 if small else 3072,
                       num_hidden_layers=1 if small else 4, image_size=side, patch_size=8 if small else 16, num_labels=10 if small else 1000,
                       hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return ViTForImageClassification(config), pictures(2 if small else 64, side, config.num_labels), by_model


def swin(small):
    from transformers import SwinConfig, SwinForImageClassification

    side = 32 if small else 224
    config = SwinConfig(image_size=side, patch_size=2 if small else 4, embed_dim=24 if small else 96, depths=[2, 1] if small else [2, 2, 2, 2],
                        num_heads=[2, 4] if small else [3, 6, 12, 24], window_size=4 if small else 7, num_labels=10 if small else 1000, drop_path_rate=0.0,
                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return SwinForImageClassification(config), pictures(2 if small else 32, side, config.num_labels), by_model


def of_timm(name, small, rows, **less):
    """A model of timm, with smaller parts for the simulator."""
    import timm

    number = 10 if small else 1000
    inputs = pictures(2 if small else rows, 64 if small else 224, number)
    return timm.create_model(name, num_classes=number, **(less if small else {})), {"x": inputs["pixel_values"], "labels": inputs["labels"]}, classes


def convnext(small):
    return of_timm("convnext_tiny", small, 32, depths=(1, 1, 1, 1), dims=(16, 24, 32, 40))


def resnet50(small):
    return of_timm("resnet50", small, 64, layers=(1, 1, 1, 1), channels=(8, 16, 16, 24), stem_width=8)


class Twice(nn.Sequential):
    """Two convolutions, each with a group norm and SiLU."""

    def __init__(self, channels, out):
        super().__init__(nn.Conv2d(channels, out, 3, padding=1), nn.GroupNorm(8, out), nn.SiLU(), nn.Conv2d(out, out, 3, padding=1), nn.GroupNorm(8, out), nn.SiLU())


class UNet(nn.Module):
    """A U-Net: pooling down, bilinear up, skips joined by channels."""

    def __init__(self, widths, classes):
        super().__init__()
        self.down = nn.ModuleList(Twice(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(Twice(a + b, a) for a, b in zip(widths, widths[1:]))
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        kept = []
        for level, part in enumerate(self.down):
            x = part(F.max_pool2d(x, 2) if level else x)
            kept.append(x)
        for part, skip in zip(reversed(self.up), reversed(kept[:-1])):
            x = part(torch.cat((F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), skip), 1))
        return self.head(x)


def unet(small):
    side, rows, number = (16, 2, 5) if small else (256, 16, 21)
    inputs = {"x": torch.randn(rows, 3, side, side), "labels": torch.randint(0, number, (rows, side, side))}
    return UNet((8, 16) if small else (64, 128, 256, 512), number), inputs, pixels


def build(name, small):
    torch.manual_seed(0)
    if name not in NAMES + EXTRA:
        raise SystemExit(f"no such model: {name}")
    return globals()[name](small)
