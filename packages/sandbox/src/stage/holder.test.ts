import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { runcProvider } from '../providers/oci/oci-provider.ts';

/** Perl that prints the host's user who made a user namespace: NS_GET_OWNER_UID of ioctl_ns(2). */
const OWNER_OF = `open(my $namespace, '<', $ARGV[0]) or die; my $owner = pack 'L', 0; ioctl($namespace, 0xb704, $owner) or die; print unpack 'L', $owner`;

test(
  'the user namespace of a sandbox was made by its own user',
  { skip: process.getuid?.() === 0 ? false : 'rootless sandboxes run as the caller' },
  async () => {
    const sandbox = await runcProvider().create();
    try {
      const holder = /^\/proc\/\d+/.exec(sandbox.hostView?.('/') ?? '')?.[0] ?? assert.fail();
      const held = readdirSync(`${holder}/fd`).filter((name) =>
        readlinkSync(`${holder}/fd/${name}`).startsWith('user:'),
      );
      const owners = held.map((name) =>
        execFileSync('perl', ['-e', OWNER_OF, `${holder}/fd/${name}`], { encoding: 'utf8' }),
      );
      // The one that maps the owners of files belongs to root.
      assert.deepEqual(owners.toSorted(), ['0', String(sandbox.hostOwner?.uid)].toSorted());
    } finally {
      await sandbox.destroy();
    }
  },
);
