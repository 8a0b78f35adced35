import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { applyPatch, parsePointer, printPointer, readPatch } from './json-patch.ts'

/** The examples of RFC 6902, appendix A, by their numbers: document, patch, result or the code of the conflict. */
const examples: [title: string, document: unknown, patch: unknown[], result: unknown][] = [
  ['A.1 add a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
  ['A.2 add an item', { foo: ['a', 'c'] }, [{ op: 'add', path: '/foo/1', value: 'b' }], { foo: ['a', 'b', 'c'] }],
  ['A.3 remove a member', { baz: 1, foo: 2 }, [{ op: 'remove', path: '/baz' }], { foo: 2 }],
  ['A.4 remove an item', { foo: ['a', 'b', 'c'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['a', 'c'] }],
  ['A.5 replace', { baz: 1, foo: 2 }, [{ op: 'replace', path: '/baz', value: 3 }], { baz: 3, foo: 2 }],
  [
    'A.6 move a member',
    { foo: { waldo: 'fred' }, qux: {} },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: {}, qux: { thud: 'fred' } },
  ],
  ['A.7 move an item', { foo: [1, 2, 3, 4] }, [{ op: 'move', from: '/foo/1', path: '/foo/3' }], { foo: [1, 3, 4, 2] }],
  ['A.8 test', { a: 'x', b: [1, 2] }, [{ op: 'test', path: '/b/1', value: 2 }], { a: 'x', b: [1, 2] }],
  ['A.9 a test that fails', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], '0.value STATE'],
  ['A.10 add a nested object', {}, [{ op: 'add', path: '/child', value: { g: {} } }], { child: { g: {} } }],
  ['A.11 unknown members', {}, [{ op: 'add', path: '/baz', value: 1, xyz: 123 }], { baz: 1 }],
  ['A.12 add below nothing', { foo: 1 }, [{ op: 'add', path: '/baz/bat', value: 1 }], '0.path UNKNOWN'],
  ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  ['A.15 a text is no number', { '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }], '0.value STATE'],
  ['A.16 add at the end', { foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['a'] }], { foo: ['bar', ['a']] }],
  ['copy', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  ['the whole document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ['beyond the end', { a: [1] }, [{ op: 'add', path: '/a/2', value: 1 }], '0.path UNKNOWN'],
  ['an index with a zero', { a: [1, 2] }, [{ op: 'remove', path: '/a/01' }], '0.path UNKNOWN'],
  ['remove nothing', {}, [{ op: 'remove', path: '/a' }], '0.path UNKNOWN'],
  ['replace nothing', {}, [{ op: 'replace', path: '/a', value: 1 }], '0.path UNKNOWN'],
  ['move into itself', { a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }], '0.path UNKNOWN'],
  ['into a text', { a: 'x' }, [{ op: 'add', path: '/a/b', value: 1 }], '0.path UNKNOWN'],
  ['a prototype', {}, [{ op: 'add', path: '/__proto__/x', value: 1 }], '0.path UNKNOWN'],
  [
    'the second fails',
    { a: 1 },
    [
      { op: 'remove', path: '/a' },
      { op: 'test', path: '/a', value: 1 },
    ],
    '1.path UNKNOWN',
  ],
]

for (const [title, document, patch, result] of examples) {
  test(`R49: ${title}`, () => {
    const before = structuredClone(document)
    if (typeof result === 'string')
      assert.deepEqual(
        mistakes(() => applyPatch(document, readPatch(patch, 0))),
        [result],
      )
    else assert.deepEqual(applyPatch(document, readPatch(patch, 0)), result)
    assert.deepEqual(document, before)
  })
}

test('R49: a member named __proto__ is plain data', () => {
  const patched = applyPatch({}, readPatch([{ op: 'add', path: '/__proto__', value: { x: 1 } }], 0)) as object
  assert.deepEqual(Object.keys(patched), ['__proto__'])
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

test('R49: every mistake of a patch is reported with its path', () => {
  const patch = [7, { path: '/a' }, { op: 'ad', path: 'a' }, { op: 'add', path: '/a' }, { op: 'copy', path: '/a' }]
  assert.deepEqual(
    mistakes(() => readPatch(patch, 0)),
    ['0 TYPE', '1.op REQUIRED', '2.op UNKNOWN', '2.path PATTERN', '3.value REQUIRED', '4.from REQUIRED'],
  )
  assert.deepEqual(
    mistakes(() => readPatch({}, 0)),
    [' TYPE'],
  )
  assert.deepEqual(
    mistakes(() => readPatch([1, 2, 3], 2)),
    [' RANGE'],
  )
})

test('R49: repeated doubling by copy is limited', () => {
  const doubling = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/a', path: `/a/x${index}` }))
  assert.match(mistakes(() => applyPatch({ a: {} }, readPatch(doubling, 0)))[0]!, /RANGE/)
})

function mistakes(run: () => unknown): string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map(({ path, code }) => `${path} ${code}`)
    throw error
  }
  return []
}

test('R49: the pointers of RFC 6901, section 5', () => {
  for (const [text, names] of [
    ['', []],
    ['/foo/0', ['foo', '0']],
    ['/', ['']],
    ['/a~1b', ['a/b']],
    ['/m~0n', ['m~n']],
    ['/~01', ['~1']],
    ['/ ', [' ']],
  ] as const) {
    assert.deepEqual(parsePointer(text), names, text)
    assert.equal(printPointer(names), text)
  }
  for (const text of ['foo', '#/foo', '/~', '/~2', '/a~']) assert.equal(parsePointer(text), null, text)
})
