import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats, matchesPattern } from './formats.ts'

const samples: Record<string, { right: string[]; wrong: string[] }> = {
  email: { right: ['a@b', 'ann.o+x@mail.example.com'], wrong: ['', 'a', 'a@', '@b', 'a b@c', 'a@-b.c'] },
  uri: {
    right: ['https://a.test/x?y#z', 'mailto:a@b', 'urn:isbn:1'],
    wrong: ['', '/x', 'a.test', 'http://', 'http://a b'],
  },
  uuid: { right: ['0190163d-8694-739b-aea5-966c26f8ad91'], wrong: ['0190163d8694739baea5966c26f8ad91', 'x'] },
  hostname: { right: ['a', 'a-b.example.com'], wrong: ['', '-a', 'a..b', 'a_b'] },
  ipv4: { right: ['127.0.0.1'], wrong: ['127.0.0', '256.0.0.1', '::1'] },
  ipv6: { right: ['::1', '2001:db8::8'], wrong: ['127.0.0.1', 'fe80::1%eth0', '1::2::3'] },
  date: {
    right: ['2024-02-29', '2000-02-29'],
    wrong: ['2023-02-29', '1900-02-29', '2024-13-01', '2024-00-10', '2024-1-1'],
  },
  time: { right: ['12:00:00Z', '23:59:59.5+02:00'], wrong: ['24:00:00Z', '12:00:00', '12:60:00Z'] },
  'date-time': {
    right: ['2024-05-01T12:00:00Z', '2024-05-01t12:00:00.123-07:30'],
    wrong: ['2024-05-01', '2024-05-01 12:00:00Z'],
  },
  duration: { right: ['P1D', 'P2W', 'PT36H', 'P1Y2M3DT4H5M6S'], wrong: ['', 'P', 'PT', 'P1DT', '1D', 'P1S', 'P1W1D'] },
  regex: { right: ['', '^a+$', '\\p{L}'], wrong: ['(', '[a', '\\p{Nothing}', 'a'.repeat(201)] },
}

for (const [name, { right, wrong }] of Object.entries(samples)) {
  test(`the format ${name} accepts valid texts and rejects others`, () => {
    for (const text of right) assert.equal(formats[name]!(text), true, text)
    for (const text of wrong) assert.equal(formats[name]!(text), false, text)
  })
}

test('every format has samples', () => {
  assert.deepEqual(Object.keys(formats).toSorted(), Object.keys(samples).toSorted())
})

test('a pattern matches anywhere, by code points and not by UTF-16 units, on every call', () => {
  for (const _ of [1, 2]) {
    assert.equal(matchesPattern('abc', 'b+'), true)
    assert.equal(matchesPattern('𝄞', '^.$'), true)
    assert.equal(matchesPattern('abc', '^b'), false)
  }
})
