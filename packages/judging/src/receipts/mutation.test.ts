import assert from 'node:assert/strict';
import { createPrivateKey, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { canonicalJson, MAX_RECEIPT_BYTES, RECEIPT_TYPE } from '@assay/protocol';
import { checkReceipt } from './check-receipt.ts';
import { openEnvelope, signReceipt, whyNotSignedBy } from './envelope.ts';
import type { SigningKey } from './key-file.ts';
import { makeReceipt } from './make-receipt.ts';
import {
  COMPOSITE,
  sampleFile,
  sampleKey,
  standardSubject,
  taskSubject,
  testRecord,
  VERIFIER_DIGEST,
} from './sample-receipts.fixture.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
interface Mutation {
  what: string;
  value: Json;
}

const key = sampleKey();

/** Returns why a receipt file is refused, or null when it verifies. */
function whyRefused(bytes: Uint8Array, trusted = key.keyId): string | null {
  const opened = openEnvelope(bytes);
  if ('problem' in opened) return opened.problem;
  return (
    whyNotSignedBy(trusted, opened) ??
    checkReceipt(opened.receipt).find(({ status }) => status === 'fail')?.detail ??
    null
  );
}

function assertRefused(bytes: Uint8Array, what: string): void {
  const why = whyRefused(bytes);
  assert.ok(why !== null, `${what} verified`);
  assert.doesNotMatch(why, /\n/);
}

/** Every leaf changed, every member and element removed, one added to every object and array, at any depth. */
function* mutations(value: Json, path = ''): Generator<Mutation> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield { what: `${path}[${index}] removed`, value: value.toSpliced(index, 1) };
      yield { what: `${path}[${index}] doubled`, value: value.toSpliced(index, 0, item) };
      for (const below of mutations(item, `${path}[${index}]`))
        yield { what: below.what, value: value.with(index, below.value) };
    }
    yield { what: `${path} grown`, value: [...value, 'x'] };
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield { what: `${path}.${name} removed`, value: rest };
      yield { what: `${path}.${name} renamed`, value: { ...rest, [`${name}x`]: member } };
      for (const below of mutations(member, `${path}.${name}`))
        yield { what: below.what, value: { ...value, [name]: below.value } };
    }
    yield { what: `${path} with one more member`, value: { ...value, added: 1 } };
    return;
  }
  for (const other of otherLeaves(value)) yield { what: `${path} = ${JSON.stringify(other)}`, value: other };
}

function otherLeaves(value: null | boolean | number | string): Json[] {
  if (typeof value === 'boolean') return [!value, null, 'true'];
  if (typeof value === 'number') return [value + 1, value === 0 ? 2 : 0, -1, null, String(value)];
  if (value === null) return [0, 1, ''];
  return [
    `${value}x`,
    value.slice(1),
    value.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    value.toUpperCase(),
    '',
    null,
  ].filter((other) => other !== value);
}

function envelopeOf(bytes: Buffer): {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
} {
  return JSON.parse(bytes.toString('utf8'));
}
const payloadOf = (bytes: Buffer): Json =>
  JSON.parse(Buffer.from(envelopeOf(bytes).payload, 'base64').toString('utf8'));
const write = (envelope: unknown): Buffer => Buffer.from(`${canonicalJson(envelope)}\n`);

/** The same envelope around another payload text, with the old signature, or with a new one by a key. */
function withPayload(bytes: Buffer, text: string, signer?: SigningKey): Buffer {
  const envelope = envelopeOf(bytes);
  const payload = Buffer.from(text);
  const encoded = Buffer.concat([
    Buffer.from(`DSSEv1 ${RECEIPT_TYPE.length} ${RECEIPT_TYPE} ${payload.length} `),
    payload,
  ]);
  const signatures = signer
    ? [{ keyid: signer.keyId, sig: sign(null, encoded, signer.privateKey).toString('base64') }]
    : envelope.signatures;
  return write({ ...envelope, payload: payload.toString('base64'), signatures });
}

const SAMPLES = {
  'a task': sampleFile(taskSubject(), key),
  'a composite of all standards': sampleFile(standardSubject(COMPOSITE), key),
};

describe('what is altered is refused', () => {
  for (const [name, bytes] of Object.entries(SAMPLES)) {
    test(`${name}: unaltered, it verifies`, () => {
      assert.equal(whyRefused(bytes), null);
    });

    test(`${name}: every field of the payload changed, removed, added`, () => {
      let count = 0;
      for (const { what, value } of mutations(payloadOf(bytes))) {
        count += 1;
        assertRefused(withPayload(bytes, canonicalJson(value)), what);
      }
      assert.ok(count > 150, `${count} mutations`);
    });

    test(`${name}: every field of the envelope changed, removed, added`, () => {
      const original: Json = JSON.parse(bytes.toString('utf8'));
      for (const { what, value } of mutations(original)) assertRefused(write(value), what);
    });

    test(`${name}: unknown fields are refused even when the signer puts them there`, () => {
      for (const { what, value } of mutations(payloadOf(bytes))) {
        if (what.endsWith('one more member') && what !== '.verdict.components with one more member')
          assertRefused(withPayload(bytes, canonicalJson(value), key), what);
      }
    });
  }

  test('every single byte: each bit flipped, removed, doubled', () => {
    const bytes = SAMPLES['a task'];
    for (let index = 0; index < bytes.length; index += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[index] = (bytes[index] ?? 0) ^ (1 << bit);
        assertRefused(flipped, `byte ${index}, bit ${bit}`);
      }
      assertRefused(Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + 1)]), `byte ${index} removed`);
      assertRefused(
        Buffer.concat([bytes.subarray(0, index), bytes.subarray(index, index + 1), bytes.subarray(index)]),
        `byte ${index} doubled`,
      );
    }
  });

  test('cut off anywhere', () => {
    const bytes = SAMPLES['a task'];
    for (let length = 0; length < bytes.length; length += 1)
      assertRefused(bytes.subarray(0, length), `${length} bytes`);
  });

  test('white space and more at the end, at the beginning, between', () => {
    const text = SAMPLES['a task'].toString('utf8');
    for (const other of [
      `${text}\n`,
      `${text} `,
      `${text}{}`,
      ` ${text}`,
      `\ufeff${text}`,
      text.replace('\n', '\r\n'),
      text.replace(':', ': '),
      JSON.stringify(JSON.parse(text), null, 2),
    ]) {
      assertRefused(Buffer.from(other), JSON.stringify(other.slice(-20)));
    }
  });

  test('base64 that decodes to the same bytes', () => {
    const bytes = SAMPLES['a task'];
    const envelope = envelopeOf(bytes);
    const [signature] = envelope.signatures;
    assert.ok(signature && /[^=]==$/.test(signature.sig));
    // The last character before == carries four bits that nothing reads.
    const slack = signature.sig.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`);
    assert.deepEqual(Buffer.from(slack, 'base64'), Buffer.from(signature.sig, 'base64'));
    for (const sig of [slack, signature.sig.replace('==', ''), ` ${signature.sig}`, `${signature.sig}\n`])
      assertRefused(write({ ...envelope, signatures: [{ ...signature, sig }] }), sig);
    for (const payload of [
      `${envelope.payload}=`,
      ` ${envelope.payload}`,
      envelope.payload.replaceAll('=', ''),
      envelope.payload.replace(/.{8}/, '$&\n'),
    ]) {
      if (payload !== envelope.payload) assertRefused(write({ ...envelope, payload }), 'payload');
    }
  });

  test('duplicate keys, and more signatures', () => {
    const bytes = SAMPLES['a task'];
    const text = Buffer.from(envelopeOf(bytes).payload, 'base64').toString('utf8');
    assertRefused(
      withPayload(bytes, text.replace('{', '{"schema":"assay/receipt@0",'), key),
      'a duplicate key in the payload, signed',
    );
    assertRefused(
      withPayload(bytes, text.replace('"verdict":{', '"verdict":{"outcome":"pass",'), key),
      'a duplicate key below, signed',
    );
    assertRefused(withPayload(bytes, ` ${text}`, key), 'white space in the payload, signed');
    assertRefused(withPayload(bytes, `${text.slice(0, -1)},"__proto__":{}}`, key), '__proto__, signed');
    assertRefused(
      Buffer.from(bytes.toString('utf8').replace('{', `{"payload":"",`)),
      'a duplicate key in the envelope',
    );
    const envelope = envelopeOf(bytes);
    assertRefused(
      write({ ...envelope, signatures: [...envelope.signatures, ...envelope.signatures] }),
      'two signatures',
    );
  });
});

describe('who signs', () => {
  test('an honest-looking receipt by another key is refused, also under the name of the trusted one', () => {
    const other = sampleKey();
    const forged = sampleFile(taskSubject(), other);
    assert.equal(whyRefused(forged, other.keyId), null);
    assert.match(whyRefused(forged) ?? '', /not the trusted one/);
    const envelope = envelopeOf(forged);
    assertRefused(
      write({ ...envelope, signatures: [{ ...envelope.signatures[0], keyid: key.keyId }] }),
      'the trusted id in the envelope',
    );
    const claimed = canonicalJson({ ...makeReceipt(taskSubject(), VERIFIER_DIGEST), signer: key.publicKey });
    assertRefused(
      withPayload(forged, claimed, { ...other, keyId: key.keyId }),
      'the trusted id and key, the signature of another',
    );
  });

  test('the signature binds the type of the payload', () => {
    const bytes = SAMPLES['a task'];
    const payload = Buffer.from(envelopeOf(bytes).payload, 'base64');
    const bare = sign(null, payload, key.privateKey).toString('base64');
    assertRefused(
      write({ ...envelopeOf(bytes), signatures: [{ keyid: key.keyId, sig: bare }] }),
      'a signature over the payload alone',
    );
  });

  test('a key that is not ed25519 signs nothing', () => {
    const weak = Buffer.from('MCowBQYDK2VuAyEA', 'base64');
    const spki = Buffer.concat([weak, Buffer.alloc(32, 9)]).toString('base64');
    assert.throws(() => createPrivateKey(spki));
    assertRefused(
      withPayload(
        SAMPLES['a task'],
        canonicalJson({ ...makeReceipt(taskSubject(), VERIFIER_DIGEST), signer: spki }),
        key,
      ),
      'an x25519 key',
    );
  });
});

describe('files that are no receipts', () => {
  const cases: Record<string, [Uint8Array, RegExp]> = {
    'an empty one': [Buffer.alloc(0), /is empty/],
    'a binary one': [Buffer.from([0, 255, 254, 128, 10]), /no text/],
    'a huge one': [Buffer.alloc(MAX_RECEIPT_BYTES + 1, 32), /larger than 4194304 bytes/],
    'other JSON': [Buffer.from('{"outcome":"pass"}\n'), /envelope is not by the schema/],
    'no JSON': [Buffer.from('hello\n'), /is no JSON/],
    'a null': [Buffer.from('null\n'), /envelope is not by the schema/],
    'deep nesting': [Buffer.from(`${'['.repeat(1_000_000)}\n`), /no JSON|nested too deeply/],
    'deep nesting that ends': [
      Buffer.from(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}\n`),
      /by the schema|nested too deeply/,
    ],
    'a deep payload': [
      withPayload(SAMPLES['a task'], `${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}`, key),
      /by the schema|nested too deeply/,
    ],
    'children without end': [deepChildren(), /nested too deeply|by the schema/],
  };
  for (const [name, [bytes, pattern]] of Object.entries(cases)) {
    test(name, () => {
      const why = whyRefused(bytes) ?? 'verified';
      assert.match(why, pattern);
      assert.doesNotMatch(why, /\n/);
    });
  }

  function deepChildren(): Buffer {
    const depth = 10_000;
    const child = '{"id":"a","kind":"child","outcome":"invalid","passScore":60,"results":{"count":1,"records":[';
    const tail = `],"root":"sha256:${'0'.repeat(64)}"},"score":null,"type":"composite","weight":1}`;
    const text = canonicalJson({
      ...makeReceipt(standardSubject(COMPOSITE), VERIFIER_DIGEST),
      results: 'HERE',
      signer: key.publicKey,
    });
    return withPayload(
      SAMPLES['a task'],
      text.replace(
        '"HERE"',
        `{"count":1,"records":[${child.repeat(depth)}${tail.repeat(depth)}],"root":"sha256:${'0'.repeat(64)}"}`,
      ),
      key,
    );
  }
});

test('too many results for one file: the root stays, and it verifies', () => {
  const subject = {
    ...taskSubject(),
    results: Array.from({ length: 60_000 }, (_, index) =>
      testRecord(`tests/test_module.py::test_number_${index}`, 'failed'),
    ),
  };
  const bytes = Buffer.from(signReceipt(makeReceipt(subject, VERIFIER_DIGEST), key));
  assert.ok(bytes.length < 10_000);
  const opened = openEnvelope(bytes);
  assert.ok(!('problem' in opened));
  assert.deepEqual([opened.receipt.results.count, opened.receipt.results.records], [60_000, undefined]);
  assert.equal(whyRefused(bytes), null);
});
