// The median of 5 x 5 MEDIAN_VALUE, integers: MEDIAN_OF(name) appends what tells types apart to a
// name.

T_FUNCTION void MEDIAN_OF(median_order)(MEDIAN_VALUE* low, MEDIAN_VALUE* high) {
    const MEDIAN_VALUE lower = T_MIN(*low, *high);
    *high = T_MAX(*low, *high);
    *low = lower;
}

T_FUNCTION void MEDIAN_OF(median_order_five)(MEDIAN_VALUE* value) {
    MEDIAN_OF(median_order)(value + 0, value + 1);
    MEDIAN_OF(median_order)(value + 3, value + 4);
    MEDIAN_OF(median_order)(value + 2, value + 4);
    MEDIAN_OF(median_order)(value + 2, value + 3);
    MEDIAN_OF(median_order)(value + 1, value + 4);
    MEDIAN_OF(median_order)(value + 0, value + 3);
    MEDIAN_OF(median_order)(value + 0, value + 2);
    MEDIAN_OF(median_order)(value + 1, value + 3);
    MEDIAN_OF(median_order)(value + 1, value + 2);
}

// Two ordered fives, a[0], a[step], ... and b[0], b[step], ..., as ten in order: K. E. Batcher,
// "Sorting networks and their applications", AFIPS Spring Joint Computer Conference, 1968.
T_FUNCTION void MEDIAN_OF(median_merge_fives)(const MEDIAN_VALUE* a, const MEDIAN_VALUE* b,
                                              const i32 step, MEDIAN_VALUE* merged) {
    merged[0] = a[0];
    merged[1] = a[step];
    merged[2] = a[2 * step];
    merged[3] = a[3 * step];
    merged[4] = a[4 * step];
    merged[8] = b[0];
    merged[5] = b[step];
    merged[6] = b[2 * step];
    merged[7] = b[3 * step];
    merged[9] = b[4 * step];
    MEDIAN_OF(median_order)(merged + 0, merged + 8);
    MEDIAN_OF(median_order)(merged + 4, merged + 9);
    MEDIAN_OF(median_order)(merged + 4, merged + 8);
    MEDIAN_OF(median_order)(merged + 2, merged + 6);
    MEDIAN_OF(median_order)(merged + 2, merged + 4);
    MEDIAN_OF(median_order)(merged + 6, merged + 8);
    MEDIAN_OF(median_order)(merged + 1, merged + 5);
    MEDIAN_OF(median_order)(merged + 3, merged + 7);
    MEDIAN_OF(median_order)(merged + 3, merged + 5);
    MEDIAN_OF(median_order)(merged + 1, merged + 2);
    MEDIAN_OF(median_order)(merged + 3, merged + 4);
    MEDIAN_OF(median_order)(merged + 5, merged + 6);
    MEDIAN_OF(median_order)(merged + 7, merged + 8);
}

// Of two ordered tens, the six in the middle, in order. Of four rows of a window the seven below
// them have thirteen above them, and so are below the median whatever the fifth row is.
T_FUNCTION void MEDIAN_OF(median_middle_of_tens)(const MEDIAN_VALUE* a, const MEDIAN_VALUE* b,
                                                 MEDIAN_VALUE* middle) {
    MEDIAN_VALUE even[10], odd[10];
    MEDIAN_OF(median_merge_fives)(a, b, 2, even);
    MEDIAN_OF(median_merge_fives)(a + 1, b + 1, 2, odd);
    middle[0] = T_MIN(odd[3], even[4]);
    middle[1] = T_MAX(odd[3], even[4]);
    middle[2] = T_MIN(odd[4], even[5]);
    middle[3] = T_MAX(odd[4], even[5]);
    middle[4] = T_MIN(odd[5], even[6]);
    middle[5] = T_MAX(odd[5], even[6]);
}

// The sixth of those and of an ordered row, which is the median of all five rows.
T_FUNCTION MEDIAN_VALUE MEDIAN_OF(median_sixth)(const MEDIAN_VALUE* middle,
                                                const MEDIAN_VALUE* row) {
    const MEDIAN_VALUE a = T_MAX(middle[0], row[4]);
    const MEDIAN_VALUE b = T_MAX(middle[1], row[3]);
    const MEDIAN_VALUE c = T_MAX(middle[2], row[2]);
    const MEDIAN_VALUE d = T_MAX(middle[3], row[1]);
    const MEDIAN_VALUE e = T_MAX(middle[4], row[0]);
    const MEDIAN_VALUE ab = T_MIN(a, b);
    const MEDIAN_VALUE cd = T_MIN(c, d);
    const MEDIAN_VALUE ef = T_MIN(e, middle[5]);
    const MEDIAN_VALUE abcd = T_MIN(ab, cd);
    return T_MIN(abcd, ef);
}

#undef MEDIAN_VALUE
