// Conversions from S to D. AS_BOOL: the target is a byte, 0 or 1.

#if defined(AS_BOOL) && defined(SMALLEST_NORMAL)
// TensorFlow computes with denormal numbers flushed to zero; NaN is true.
#define CONVERT(x) (fabs(x) < SMALLEST_NORMAL ? 0 : 1)
#elif defined(AS_BOOL)
#define CONVERT(x) ((x) != (S)0 ? 1 : 0)
#else
#define CONVERT(x) ((D)(x))
#endif

__kernel void Cast(INPUT(S, in), OUTPUT(D, out), const ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = CONVERT(in[in_at + i]);
}
