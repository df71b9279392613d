import { type Cheat } from './cheat.ts';

export const kernelSurface: Cheat = {
  id: 'G6',
  title: 'gain capabilities in a new user namespace and mount there',
  seal: 'privileges',
  success: 'effect',
  script: () =>
    'unshare --user --map-root-user --mount sh -c "mount -t tmpfs none /mnt || mount -t tmpfs none /tmp" && echo EFFECT yes; true',
};
