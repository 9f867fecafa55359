// Data movement: T is an unsigned type of the element's size.

// out[walk of operand 1] = in[walk of operand 0].
__kernel void StridedCopy(INPUT(T, in), OUTPUT(T, out), const uint n, const Walk walk) {
  const uint i = get_global_id(0);
  if (i < n) {
    WALK_OFFSETS(walk, i, int from = 0;
                 int to = 0, from += coordinate_ * walk.stride[0][d_];
                 to += coordinate_ * walk.stride[1][d_])
    // Offsets may be negative along a reversed dimension.
    out[(long)out_at + to] = in[(long)in_at + from];
  }
}

// out = condition ? a : b; the walk's operands are condition, a and b.
__kernel void Select(INPUT(uchar, condition), INPUT(T, a), INPUT(T, b), OUTPUT(T, out),
                     const uint n, const Walk walk) {
  const uint i = get_global_id(0);
  if (i < n) {
    WALK_OFFSETS(walk, i, int at_c = 0; int at_a = 0;
                 int at_b = 0, at_c += coordinate_ * walk.stride[0][d_];
                 at_a += coordinate_ * walk.stride[1][d_];
                 at_b += coordinate_ * walk.stride[2][d_])
    out[out_at + i] =
        condition[condition_at + at_c] != 0 ? a[a_at + at_a] : b[b_at + at_b];
  }
}
