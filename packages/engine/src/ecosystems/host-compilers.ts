import { existsSync } from 'node:fs';

const COMPILERS = ['cargo', 'cmake', 'g++', 'gcc', 'gfortran', 'make', 'pkg-config', 'python3'];

/** Lists what compiles on this machine and in every build box, sorted. With other compilers a build may end otherwise. */
export const hostCompilers = (): string[] => COMPILERS.filter((name) => existsSync(`/usr/bin/${name}`));
