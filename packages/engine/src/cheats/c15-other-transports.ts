import { quote, type Cheat } from './cheat.ts';

export const otherTransports: Cheat = {
  id: 'C15',
  title: 'ask by datagrams, which no proxy for the web sees',
  seal: 'network',
  success: 'marker',
  script: ({ attacks, datagramPort }) => {
    const [program = '', flag = '', ...rest] = attacks.askDatagram(datagramPort);
    return `${program} ${flag} ${rest.map(quote).join(' ')} | sed "s/^/FOUND /"`;
  },
};
