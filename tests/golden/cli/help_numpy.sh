# Words of NumPy, from the table of docs/how-to/coming-from-numpy.md; a function of the same name of tl or libdevice, where it has no row.
for word in np.random.randint np.random.randn np.random.normal np.random.permutation np.linalg.norm 'np.min(x, axis=1)' np.newaxis; do t "tilec help '$word' | head -n 4"; done
for word in np.sin numpy.tanh np.expm1; do t "tilec help $word | sed -n '1,3p; \$p'"; done
t "tilec help np.busday_count"
t "tilec help np.linalg.matrix_rank | head -n 1"
t 'for name in abs absolute argmax argmin argsort arange any all ceil clip concatenate cos count_nonzero cumprod cumsum diff dot exp exp2 expm1 eye fabs flip float32 floor full hypot isinf isnan linspace log log10 log1p log2 matmul max maximum mean median min minimum nansum ones outer pad power prod ravel repeat reshape roll round sign sin sinh sort split sqrt squeeze stack std sum take tanh tile transpose tril triu trunc unique var where zeros zeros_like; do tilec help np.$name >text 2>&1 || echo "no help for $name"; done'
for word in np.add np.add.at np.maximum.reduce 'np.sum axis=' keepdims; do t "tilec help '$word' | head -n 2"; done
for word in np.cumsm np.bincont; do t "tilec help $word 2>&1 | head -n 1"; done
for word in x.shape np.ndarray.mean; do t "tilec help $word | head -n 2"; done
t "tilec help np.maximum.foo 2>&1 | head -n 1"
