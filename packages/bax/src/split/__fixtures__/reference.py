def held_out(groups, test_size, seed):
    groups, state = sorted(groups), seed
    for last in range(len(groups) - 1, 0, -1):
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ state >> 15) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (t ^ t >> 7) * (t | 61)) & 0xFFFFFFFF
        other = ((t ^ t >> 14) * (last + 1)) >> 32
        groups[last], groups[other] = groups[other], groups[last]
    size = int(test_size * len(groups) + 0.5)
    return sorted(groups[:min(len(groups) - 1, max(1, size))])
