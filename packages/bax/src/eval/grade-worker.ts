import type { GradeOrder, OnProgress } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import type { Framework, PreparedFramework } from '../framework.ts';
import { ForkServers } from '../grade/fork-servers.ts';
import { gradePrepared, observingProvider, prepareRow, type GradeSettings } from '../grade/grade-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import type { Slots } from '../grade/slots.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Scenario } from '../scenario.ts';
import { readOrdered } from './ordered-answer.ts';
import { storing } from './storing.ts';

export interface GradeWorkerOptions {
  /** Bound how many instances run at once, over all orders. Default: one after the other within each order. */
  slots?: Slots;
  /** Scenarios and frameworks from elsewhere. They are found by their ids before ours. */
  scenarios?: readonly Scenario[];
  frameworks?: readonly Framework[];
}

export interface GradeWorker {
  /**
   * Grades one sample from its order alone, and stores the grade where the order says. Rejects with what the answer
   * cannot have caused, and with `ANSWER_UNREADABLE`: what happens then is a matter of the policy for failures.
   */
  run(order: GradeOrder, options?: { signal?: AbortSignal; onEvent?: OnProgress }): Promise<SampleGrade>;
  /** Ends the processes that it keeps. Nothing may run then. */
  close(): Promise<void>;
}

interface Machine {
  provider: SandboxProvider;
  forkServers: ForkServers;
}

/** Makes a worker. It keeps providers, their fork servers and prepared frameworks for the orders that follow. */
export function gradeWorker({ slots, scenarios = [], frameworks = [] }: GradeWorkerOptions = {}): GradeWorker {
  const machines = new Map<string, Promise<Machine>>();
  const prepared = new Map<string, PreparedFramework>();
  const machineOf = (name: string): Promise<Machine> => {
    const machine = machines.get(name) ?? openMachine(name);
    machines.set(name, machine);
    machine.catch(() => machines.delete(name));
    return machine;
  };
  // Orders that begin together prepare a framework beside each other, so that no abort of one is another's.
  const prepare = async (
    order: GradeOrder,
    { scenario, framework }: { scenario: Scenario; framework: Framework },
    settings: GradeSettings,
  ): Promise<PreparedFramework> => {
    const key = JSON.stringify([order.provider, order.scenario, order.framework]);
    const known = prepared.get(key) ?? (await prepareRow(scenario, framework, settings));
    prepared.set(key, known);
    return known;
  };
  return {
    run: async (order, { signal, onEvent } = {}) => {
      const row = {
        scenario: scenarios.find(({ id }) => id === order.scenario) ?? findScenario(order.scenario),
        framework: frameworks.find(({ id }) => id === order.framework) ?? findFramework(order.framework),
      };
      const settings: GradeSettings = {
        profile: order.profile,
        ...(await machineOf(order.provider)),
        serverStartTimeout: order.serverStartTimeoutSec,
        testTimeout: order.testTimeoutSec,
        slots,
        signal,
        onEvent,
      };
      const answer = await readOrdered(order, row.framework);
      const grade = await gradePrepared({ ...row, prepared: await prepare(order, row, settings) }, answer, settings);
      const sample = new StoredSample(order.out);
      await storing(sample, () => sample.writeGrade(grade));
      return grade;
    },
    close: async () => {
      for (const machine of machines.values()) await (await machine).forkServers.close();
      machines.clear();
    },
  };
}

async function openMachine(name: string): Promise<Machine> {
  const provider = await observingProvider(name);
  return { provider, forkServers: new ForkServers(provider) };
}
