// Softmax and its cross entropies; one work-item a row. T is float or double, L the type
// of sparse labels.

inline T row_max(__global const T* row, uint columns, uint step) {
  T most = -INFINITY;
  for (uint c = 0; c < columns; ++c) {
    const T x = row[(ulong)c * step];
    most = (x > most || x != x) ? x : most;
  }
  return most;
}

// Sum of exp(row - most).
inline T row_sum(__global const T* row, uint columns, uint step, T most) {
  T sum = 0;
  for (uint c = 0; c < columns; ++c) sum += exp(row[(ulong)c * step] - most);
  return sum;
}

__kernel void Softmax(INPUT(T, in), OUTPUT(T, out), const uint rows, const uint columns) {
  const uint row = get_global_id(0);
  if (row < rows) {
    __global const T* from = in + in_at + (ulong)row * columns;
    __global T* to = out + out_at + (ulong)row * columns;
    const T most = row_max(from, columns, 1);
    T sum = 0;
    for (uint c = 0; c < columns; ++c) {
      const T e = exp(from[c] - most);
      to[c] = e;
      sum += e;
    }
    for (uint c = 0; c < columns; ++c) to[c] /= sum;
  }
}

__kernel void LogSoftmax(INPUT(T, in), OUTPUT(T, out), const uint rows,
                         const uint columns) {
  const uint row = get_global_id(0);
  if (row < rows) {
    __global const T* from = in + in_at + (ulong)row * columns;
    __global T* to = out + out_at + (ulong)row * columns;
    const T most = row_max(from, columns, 1);
    const T log_sum = log(row_sum(from, columns, 1, most));
    for (uint c = 0; c < columns; ++c) to[c] = from[c] - most - log_sum;
  }
}

// Steps of the operands: 0 repeats a row or a column.
typedef struct {
  uint rows;
  uint columns;
  uint feature_row;
  uint feature_column;
  uint label_row;
  uint label_column;
} Entropy;

__kernel void CrossEntropy(INPUT(T, features), INPUT(T, labels), OUTPUT(T, loss),
                           OUTPUT(T, backprop), const Entropy s) {
  const uint row = get_global_id(0);
  if (row < s.rows) {
    __global const T* x = features + features_at + (ulong)row * s.feature_row;
    __global const T* y = labels + labels_at + (ulong)row * s.label_row;
    __global T* to = backprop + backprop_at + (ulong)row * s.columns;
    const T most = row_max(x, s.columns, s.feature_column);
    const T sum = row_sum(x, s.columns, s.feature_column, most);
    const T log_sum = log(sum);
    T total = 0;
    for (uint c = 0; c < s.columns; ++c) {
      const T centred = x[(ulong)c * s.feature_column] - most;
      const T label = y[(ulong)c * s.label_column];
      total += label * (log_sum - centred);
      to[c] = exp(centred) / sum - label;
    }
    loss[loss_at + row] = total;
  }
}

#ifdef L
// A label out of range is reported in the error word; its row reads NaN.
__kernel void SparseCrossEntropy(INPUT(T, features), INPUT(L, labels), OUTPUT(T, loss),
                                 OUTPUT(T, backprop), const uint rows, const uint columns,
                                 __global int* error, const int site) {
  const uint row = get_global_id(0);
  if (row < rows) {
    __global const T* x = features + features_at + (ulong)row * columns;
    __global T* to = backprop + backprop_at + (ulong)row * columns;
    const long label = labels[labels_at + row];
    const bool good = label >= 0 && label < (long)columns;
    if (!good) set_error(error, ERROR_LABEL_OUT_OF_RANGE, site, label, columns);
    const T most = row_max(x, columns, 1);
    const T sum = row_sum(x, columns, 1, most);
    for (uint c = 0; c < columns; ++c) {
      const T p = exp(x[c] - most) / sum;
      to[c] = good ? p - ((long)c == label ? (T)1 : (T)0) : (T)NAN;
    }
    loss[loss_at + row] = good ? log(sum) - (x[label] - most) : (T)NAN;
  }
}
#endif
