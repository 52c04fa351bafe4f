/* What the code loader test loads: functions with constants, calls inside the object and pointers to its own data. */
typedef long long Word;

static const double kTable[4] = {1.5, 2.5, 3.5, 4.5};
static const double *const kPointers[2] = {&kTable[1], &kTable[3]};

__attribute__((noinline)) static Word square(Word x) { return x * x; }

Word tenferroTestSquareSum(Word a, Word b) { return square(a) + square(b); }
double tenferroTestTable(Word i) { return kTable[i & 3] + 0.25; }
double tenferroTestPointer(Word i) { return *((const double *const volatile *)kPointers)[i & 1]; }

/* An element-wise kernel of three f64 inputs, the second a scalar: a * b + c. */
unsigned long long tenferroTestMap(void *const *args, const Word *inner, const Word *outer, Word n, Word m) {
  for (Word j = 0; j < m; ++j)
    for (Word i = 0; i < n; ++i)
      ((double *)((char *)args[3] + j * outer[3]))[i] =
          ((const double *)((char *)args[0] + j * outer[0]))[i] * *(const double *)((char *)args[1] + j * outer[1]) +
          ((const double *)((char *)args[2] + j * outer[2]))[i];
  return ~0ull;
}

/* Row and column kernels of the sum of squares, in the written tree. */
static void squares(void *const *args, const Word *reduced, const Word *kept, Word n, Word m) {
  for (Word j = 0; j < m; ++j) {
    double lane[32];
    for (int l = 0; l < 32; ++l)
      lane[l] = -0.0;
    for (Word k = 0; k < n; ++k) {
      double x = *(const double *)((char *)args[0] + j * kept[0] + k * reduced[0]);
      lane[k % 32] += x * x;
    }
    for (int half = 16; half; half /= 2)
      for (int l = 0; l < half; ++l)
        lane[l] += lane[l + half];
    *(double *)((char *)args[1] + j * kept[1]) = n ? lane[0] : 0.0;
  }
}
unsigned long long tenferroTestRow(void *const *args, const Word *reduced, const Word *kept, Word n, Word m) {
  squares(args, reduced, kept, n, m);
  return ~0ull;
}
unsigned long long tenferroTestColumn(void *const *args, const Word *reduced, const Word *kept, Word n, Word m) {
  squares(args, reduced, kept, n, m);
  return ~0ull;
}
