// Updates of variables in place. T is float or double; scalars are read from the device.

__kernel void GradientDescent(OUTPUT(T, var), INPUT(T, rate), INPUT(T, delta),
                              const ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) var[var_at + i] -= rate[rate_at] * delta[delta_at + i];
}

__kernel void Momentum(OUTPUT(T, var), OUTPUT(T, accum), INPUT(T, rate),
                       INPUT(T, gradient), INPUT(T, momentum), const ulong n,
                       const int nesterov) {
  const ulong i = get_global_id(0);
  if (i < n) {
    const T g = gradient[gradient_at + i];
    const T m = momentum[momentum_at];
    const T a = accum[accum_at + i] * m + g;
    accum[accum_at + i] = a;
    const T step = nesterov ? g + a * m : a;
    var[var_at + i] -= rate[rate_at] * step;
  }
}

__kernel void Adam(OUTPUT(T, var), OUTPUT(T, m), OUTPUT(T, v), INPUT(T, power1),
                   INPUT(T, power2), INPUT(T, rate), INPUT(T, beta1), INPUT(T, beta2),
                   INPUT(T, epsilon), INPUT(T, gradient), const ulong n,
                   const int nesterov) {
  const ulong i = get_global_id(0);
  if (i < n) {
    const T g = gradient[gradient_at + i];
    const T b1 = beta1[beta1_at];
    const T b2 = beta2[beta2_at];
    const T alpha =
        rate[rate_at] * sqrt((T)1 - power2[power2_at]) / ((T)1 - power1[power1_at]);
    const T first = m[m_at + i] + (g - m[m_at + i]) * ((T)1 - b1);
    const T second = v[v_at + i] + (g * g - v[v_at + i]) * ((T)1 - b2);
    m[m_at + i] = first;
    v[v_at + i] = second;
    const T step = nesterov ? g * ((T)1 - b1) + b1 * first : first;
    var[var_at + i] -= step * alpha / (sqrt(second) + epsilon[epsilon_at]);
  }
}

// AssignAdd (sign 1) and AssignSub (sign -1).
__kernel void AddTo(OUTPUT(T, var), INPUT(T, delta), const ulong n, const T sign) {
  const ulong i = get_global_id(0);
  if (i < n) var[var_at + i] += sign * delta[delta_at + i];
}
