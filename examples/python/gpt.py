# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of a small GPT whose attention and activation are block programs, beside the same model in torch's own
operations: the losses are equal. python gpt.py [STEPS]"""

import sys

import torch
from torch import nn
from torch.nn import functional

from attention import attention
from elu import elu

VOCABULARY, WIDTH, HEADS, LAYERS, CONTEXT = 64, 64, 2, 2, 40


class Block(nn.Module):
    def __init__(self, attend, activate):
        super().__init__()
        self.attend, self.activate = attend, activate
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, n, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, n, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        x = x + self.project(self.attend(q, k, v).transpose(1, 2).reshape(batch, n, WIDTH))
        return x + self.narrow(self.activate(self.wide(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, attend, activate):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block(attend, activate) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        return self.head(self.norm(self.blocks(x)))


def train(model: nn.Module, text: torch.Tensor, steps: int) -> list[float]:
    """The losses of so many steps on the same text."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        loss = functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    text = torch.randint(VOCABULARY, (2, CONTEXT + 1), device=device)
    ours = GPT(lambda q, k, v: attention(q, k, v, causal=True), elu).to(device)
    torchs = GPT(lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True), functional.elu).to(
        device
    )
    torchs.load_state_dict(ours.state_dict())
    got, want = train(ours, text, steps), train(torchs, text, steps)
    torch.testing.assert_close(torch.tensor(got), torch.tensor(want), rtol=1e-4, atol=1e-4)
    print(
        f"gpt on {device}: losses {', '.join(f'{loss:.4f}' for loss in got)}, torch's {', '.join(f'{loss:.4f}' for loss in want)}"
    )
