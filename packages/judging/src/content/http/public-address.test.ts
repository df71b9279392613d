import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPublicAddress } from './public-address.ts';

const LOCAL = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  '64:ff9b:1::1',
];
const WRAPPED = [
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '2002:7f00:1::',
  '2002:c0a8:1::1',
  '2002:a9fe:a9fe::',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '198.17.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
];
const NO_ADDRESS = [
  '',
  'localhost',
  'example.org',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '[::1]',
  '1.1.1.1 ',
  '1.1.1.1:80',
  '::ffff:1.1.1.1%lo',
];

describe('isPublicAddress', () => {
  for (const address of LOCAL) test(`no: ${address}`, () => assert.equal(isPublicAddress(address), false));
  for (const address of WRAPPED)
    test(`no, though it is wrapped: ${address}`, () => assert.equal(isPublicAddress(address), false));
  for (const address of PUBLIC) test(`yes: ${address}`, () => assert.equal(isPublicAddress(address), true));
  for (const address of NO_ADDRESS)
    test(`no address: ${JSON.stringify(address)}`, () => assert.equal(isPublicAddress(address), false));
});
