import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CID } from 'multiformats/cid';
import { digestHex } from '../content-id.ts';
import { createContentStore } from '../content-store.ts';
import { openContentStore } from '../open-content-store.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { startGateway, startKubo } from '../testing/test-server.ts';
import { GatewayBlocks } from './gateway-blocks.ts';

const only = { gateways: [], environment: {} };

describeStoreConformance(
  'a local directory',
  async (directory) => {
    const plant = async (cid: CID, bytes: Uint8Array): Promise<void> => {
      const path = join(directory, 'blocks', digestHex(cid).slice(0, 2), digestHex(cid));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    };
    return { store: openContentStore({ ...only, directory, kubo: null }), plant, close: async () => {} };
  },
  { writable: true },
);

describeStoreConformance(
  'a Kubo node',
  async () => {
    const kubo = await startKubo();
    return {
      store: openContentStore({ ...only, directory: null, kubo: kubo.url }),
      plant: kubo.plant,
      close: kubo.close,
    };
  },
  { writable: true },
);

describeStoreConformance(
  'a gateway',
  async () => {
    const gateway = await startGateway();
    return {
      store: createContentStore({ sources: [new GatewayBlocks(new URL(gateway.url))], keepers: [] }),
      plant: gateway.plant,
      close: gateway.close,
    };
  },
  { writable: false },
);
