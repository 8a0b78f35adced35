import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startCpuTimer } from '#cpu-time'
import { hasWords, searchedWords, storedWords } from './search-words.ts'

const words = (text: string) => storedWords(text, 1_000_000).join(' ')

const cases: [text: string, words: string][] = [
  ['Hello, World!', 'hello world'],
  ['Zoë naïve CAFÉ Ñandú', 'zoe naive cafe nandu'],
  ['Straße STRASSE ẞ ſ', 'strasse ss s'],
  ['ΟΔΟΣ οδός', 'οδοσ'],
  ['İstanbul ISI ısı', 'istanbul isi'],
  ['ﬁne Ⅷ ½ 3.14 x²', 'fine viii 1 2 3 14 x2'],
  ["don't a_b-c", 'don t a b c'],
  ['בְּרֵאשִׁית بِسْمِ', 'בראשית بسم'],
  ['हिन्दी की किताब', 'हिन्दी की किताब'],
  ['東京タワー', '東 京 タ ワ ー'],
  ['ดี', 'ดี'],
  ['😀 \0 " OR * ( ) : {w1} \' \\ -', 'or w1'],
  ['again Again', 'again'],
]
for (const [text, expected] of cases) {
  test(`R111: the words of ${JSON.stringify(text)} are ${expected}`, () => {
    assert.equal(words(text), expected.normalize('NFKD'))
  })
}

test('R111: a text has the same words in every case, composed or not, and its words have themselves', () => {
  const latin = fc.string({ unit: fc.constantFrom(...'aZéßöŁžİ 1-,中が') })
  fc.assert(
    fc.property(latin, (text) => {
      assert.equal(words(text.toUpperCase()), words(text))
      assert.equal(words(text.normalize('NFD')), words(text))
      assert.equal(words(words(text)), words(text))
      assert.equal(hasWords(text), words(text) !== '')
    }),
    { seed: 1 },
  )
})

test('no word contains characters of the query syntax, whatever the text is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const word of storedWords(text, 1_000_000)) assert.match(word, /^[\p{L}\p{N}\p{M}]{1,64}$/u)
    }),
    { seed: 1 },
  )
})

test('R112: long words are cut, and only the beginning of a long text is indexed', () => {
  assert.equal(words('x'.repeat(100)), 'x'.repeat(64))
  assert.equal(words('𐐨'.repeat(100)), '𐐨'.repeat(64))
  assert.equal(words(`${'a '.repeat(50_000)} end`), 'a')
  assert.deepEqual(storedWords('one two three', 16), ['one', 'two'])
})

test('the last word of a search stays the last', () => {
  assert.deepEqual(searchedWords('foo bar FOO'), ['foo', 'bar', 'foo'])
  assert.deepEqual(searchedWords('foo foo bar'), ['foo', 'bar'])
})

test('a text that grows by case folding takes no longer', () => {
  const took = startCpuTimer()
  storedWords('\ufdfa'.repeat(1_000_000), 1_000_000)
  const cost = took()
  assert.ok(cost < 1000, `${cost} ms`)
})
