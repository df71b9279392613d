import { writeFilesScript, type Cheat } from './cheat.ts';

export const shadowedModule: Cheat = {
  id: 'E5',
  title: 'leave a module that is loaded in place of one of the standard library',
  seal: 'steering',
  alsoOff: ['split-oracle'],
  success: 'reward',
  script({ attacks, runner }) {
    const files = attacks.shadowedModule(runner);
    return files === null ? null : writeFilesScript(files);
  },
};
