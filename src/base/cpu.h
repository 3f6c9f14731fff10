/* base/cpu.h - which instructions this processor has.
 *
 * The loader of glibc has asked the processor, and is asked here. The compiler's
 * __builtin_cpu_supports would ask it again at every start, before main(): in a virtual machine,
 * which answers for the processor, that takes as long as reading a message.
 */
#ifndef CR_BASE_CPU_H
#define CR_BASE_CPU_H

#if defined(__x86_64__)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

static inline int cr__cpu_has_avx2(void)
{
    return CPU_FEATURE_ACTIVE(AVX2);
}

static inline int cr__cpu_has_bmi2(void)
{
    return CPU_FEATURE_ACTIVE(BMI2);
}
#else
static inline int cr__cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static inline int cr__cpu_has_bmi2(void)
{
    return __builtin_cpu_supports("bmi2") != 0;
}
#endif
#endif

#endif
