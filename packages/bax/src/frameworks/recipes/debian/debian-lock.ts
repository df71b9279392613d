import { z } from 'zod';

/**
 * Packages of a Debian release for amd64, pinned. A committed JSON file, of which `lock-packages.ts` writes `packages`
 * and a person the rest.
 */
export const DebianLock = z.strictObject({
  /** Name of the release, such as `trixie`. */
  suite: z.string().regex(/^[a-z]+$/),
  /** Packages that are asked for beside those of every tree; `packages` holds what they depend on, too. */
  wanted: z.array(z.string()),
  /** Symbolic links that maintainer scripts would have made, by absolute path. Targets are as in `ln -s`. */
  links: z.record(z.string().startsWith('/'), z.string().min(1)),
  /** By path. */
  packages: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/),
      version: z.string().min(1),
      /** Below the mirror, as in a URL. */
      path: z.string().regex(/^pool\/(?!.*\.\.)[\w+.%~/-]+\.deb$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type DebianLock = z.infer<typeof DebianLock>;
