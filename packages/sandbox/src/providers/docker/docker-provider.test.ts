import { after, before } from 'node:test';
import { describeProviderConformance, PrivateDocker } from '@assay/testkit';
import { DockerProvider } from './docker-provider.ts';

const root = process.getuid?.() === 0;
const skip = root ? undefined : 'a Docker daemon of the test\'s own needs root';
const daemon = root ? new PrivateDocker() : undefined;

before(() => daemon?.start());
after(() => daemon?.stop());

let provider: DockerProvider | undefined;

describeProviderConformance('docker', () => {
  provider ??= new DockerProvider({ image: daemon?.image ?? '', socketPath: daemon?.socketPath ?? '' });
  return provider;
}, {
  skip,
  lacks: {
    layers: 'Docker mounts no overlays of directories',
    'host-view': 'the files are in the memory of the daemon\'s machine',
    'exposed-ports': 'the network of a container is in the daemon\'s machine',
    usage: 'the daemon does not tell it for a sandbox',
    'file-facts': 'its files are reached by writeFile, readFile and exec only',
    'root-tree': 'its tree is an image',
    export: 'the files are in the memory of the daemon\'s machine',
    'host-toolchain': 'its tree is an image',
    'user-namespace': 'the user has the same id inside and outside, one that owns nothing',
  },
});
