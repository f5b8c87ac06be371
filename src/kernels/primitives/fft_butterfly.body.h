// The transform of 2, 3, 4, 5 or 7 complex values in place. FFT_VALUE is their type, FFT_OF(name) a
// name that tells it. Part of fft_lanes.kernel.h and fft_passes.kernel.h.

T_FUNCTION void FFT_OF(fft_two)(FFT_VALUE* re, FFT_VALUE* im, const i32 a, const i32 b) {
    const FFT_VALUE re_a = re[a], im_a = im[a];
    re[a] = re_a + re[b];
    im[a] = im_a + im[b];
    re[b] = re_a - re[b];
    im[b] = im_a - im[b];
}

T_FUNCTION void FFT_OF(fft_four)(FFT_VALUE* re, FFT_VALUE* im) {
    FFT_OF(fft_two)(re, im, 0, 2);
    FFT_OF(fft_two)(re, im, 1, 3);
    FFT_OF(fft_two)(re, im, 0, 1);
    const FFT_VALUE re_2 = re[2], im_2 = im[2], re_3 = re[3], im_3 = im[3], re_1 = re[1],
                    im_1 = im[1];
    re[1] = re_2 + im_3;
    im[1] = im_2 - re_3;
    re[3] = re_2 - im_3;
    im[3] = im_2 + re_3;
    re[2] = re_1;
    im[2] = im_1;
}

// Of an odd number: what stands as far from either end shares its products. A turn by q of them is
// cosines[q], sines[q] of 2 pi q / count.
T_FUNCTION void FFT_OF(fft_odd)(FFT_VALUE* re, FFT_VALUE* im, const i32 count, const f32* cosines,
                                const f32* sines) {
    const i32 middle = count / 2;
    FFT_VALUE even_re[4], even_im[4], odd_re[4], odd_im[4];
    FFT_VALUE sum_re = re[0], sum_im = im[0];
    T_UNROLL for (i32 j = 1; j <= middle; ++j) {
        even_re[j] = re[j] + re[count - j];
        even_im[j] = im[j] + im[count - j];
        odd_re[j] = re[j] - re[count - j];
        odd_im[j] = im[j] - im[count - j];
        sum_re = sum_re + even_re[j];
        sum_im = sum_im + even_im[j];
    }
    T_UNROLL for (i32 q = 1; q <= middle; ++q) {
        FFT_VALUE along_re = re[0], along_im = im[0];
        FFT_VALUE across_re = sines[q] * odd_im[1], across_im = sines[q] * odd_re[1];
        T_UNROLL for (i32 j = 1; j <= middle; ++j) {
            along_re = along_re + cosines[q * j % count] * even_re[j];
            along_im = along_im + cosines[q * j % count] * even_im[j];
        }
        T_UNROLL for (i32 j = 2; j <= middle; ++j) {
            across_re = across_re + sines[q * j % count] * odd_im[j];
            across_im = across_im + sines[q * j % count] * odd_re[j];
        }
        re[q] = along_re + across_re;
        im[q] = along_im - across_im;
        re[count - q] = along_re - across_re;
        im[count - q] = along_im + across_im;
    }
    re[0] = sum_re;
    im[0] = sum_im;
}

T_FUNCTION void FFT_OF(fft_radix)(FFT_VALUE* re, FFT_VALUE* im, const i32 radix) {
    const f32 cosines_3[2] = {1, -0.5f}, sines_3[2] = {0, 0.866025404f};
    const f32 cosines_5[5] = {1, 0.309016994f, -0.809016994f, -0.809016994f, 0.309016994f};
    const f32 sines_5[5] = {0, 0.951056516f, 0.587785252f, -0.587785252f, -0.951056516f};
    const f32 cosines_7[7] = {
        1, 0.623489802f, -0.222520934f, -0.900968868f, -0.900968868f, -0.222520934f, 0.623489802f};
    const f32 sines_7[7] = {
        0, 0.781831482f, 0.974927912f, 0.433883739f, -0.433883739f, -0.974927912f, -0.781831482f};
    if (radix == 2) FFT_OF(fft_two)(re, im, 0, 1);
    if (radix == 3) FFT_OF(fft_odd)(re, im, 3, cosines_3, sines_3);
    if (radix == 4) FFT_OF(fft_four)(re, im);
    if (radix == 5) FFT_OF(fft_odd)(re, im, 5, cosines_5, sines_5);
    if (radix == 7) FFT_OF(fft_odd)(re, im, 7, cosines_7, sines_7);
}
