// V*_pq of the pixels of the disk, a plane of its real part and one of its imaginary part, by
// groups of ZERNIKE_GROUP items. `terms` has the factors of r^q, r^(q+2), ..., r^p.
T_GROUP_KERNEL(ZERNIKE_OF(T_JOIN(zernike_thesis_direct_, ZERNIKE_GROUP)), ZERNIKE_GROUP, 1, 1,
               (T_IN(ZERNIKE_VALUE) polar, T_IN(u32) inside, T_IN(ZERNIKE_VALUE) terms,
                T_OUT(ZERNIKE_VALUE) planes, const zernike_thesis_moment moment)) {
    T_PHASE {
        const i64 i = (i64)T_GX * ZERNIKE_GROUP + T_LI;
        if (i < moment.points) {
            ZERNIKE_VALUE sum = 0;
            if (inside[i] != 0) {
                const ZERNIKE_VALUE square = polar[i] * polar[i];
                ZERNIKE_VALUE power = ZERNIKE_OF(zernike_thesis_power)(polar[i], moment.q);
                for (i32 k = 0; k <= (moment.p - moment.q) / 2; ++k) {
                    sum += terms[moment.first_term + k] * power;
                    power *= square;
                }
            }
            const ZERNIKE_OF(zernike_thesis_complex) turn = ZERNIKE_OF(zernike_thesis_turn)(
                polar[moment.points + i], polar[2 * moment.points + i], moment.q);
            planes[i] = sum * turn.re;
            planes[moment.points + i] = sum * turn.im;
        }
    }
}
