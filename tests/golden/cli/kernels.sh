# A file with several kernels lists them; --kernel takes what it lists.
t 'tilec run two.tile --device eval'
t 'tilec check two.tile x=ones:fp32[4]'
t 'tilec run two.tile --device eval --diagnostics=json |& python3 -c "import json, sys; print([n[\"message\"] for n in json.load(sys.stdin)[0][\"notes\"]])"'
t 'tilec run two.tile --device eval --kernel shift x=ones:fp32[4] out=empty:fp32[4] n=4'
