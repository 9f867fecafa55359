// BiasAdd over the last dimension; T is float or double.

__kernel void BiasAdd(INPUT(T, in), INPUT(T, bias), OUTPUT(T, out), const uint n,
                      const FastDiv depth) {
  const uint i = get_global_id(0);
  if (i < n) {
    const uint column = i - fast_divide(i, depth) * depth.divisor;
    out[out_at + i] = in[in_at + i] + bias[bias_at + column];
  }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// Four neighbours at a time: n and depth count fours.
__kernel void BiasAddWide(INPUT(T, in), INPUT(T, bias), OUTPUT(T, out), const uint n,
                          const FastDiv depth) {
  const uint i = get_global_id(0);
  if (i < n) {
    const uint column = i - fast_divide(i, depth) * depth.divisor;
    const JOIN(T, 4) sum = vload4(i, in + in_at) + vload4(column, bias + bias_at);
    vstore4(sum, i, out + out_at);
  }
}
