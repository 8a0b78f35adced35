import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { foldedCharacters, foldText, hangul } from './fold-text.ts'
import { foldByRule } from './folding-rule.ts'

test('case and accents do not matter', () => {
  const texts: [text: string, folded: string][] = [
    ['Ångström', 'angstrom'],
    ['ÇAĞLA', 'cagla'],
    ['E\u0301mile', 'emile'],
    ['Straße', 'strasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['İstanbul ısı', 'istanbul isi'],
    ['ЁЛКА', 'елка'],
    ['ﬁne ½ Ｔ', 'fine 1⁄2 t'],
    ['한글', '한글'.normalize('NFD')],
    ['𝒳 😀 𐐀', 'x 😀 𐐨'],
    ['हिन्दी', 'हिन्दी'],
    ['A_b %\\\'"', 'a_b %\\\'"'],
    ['', ''],
  ]
  for (const [text, folded] of texts) assert.equal(foldText(text), folded)
})

test('the table has the rule for every character; WRITE_FOLDING=1 writes it', () => {
  if (process.env.WRITE_FOLDING === '1') writeTable()
  const table = foldedCharacters()
  for (const character of eachCharacter()) {
    const folded = foldByRule(character)
    if (foldText(character) !== folded) assert.fail(`U+${character.codePointAt(0)!.toString(16)} is another form here`)
    assert.equal(table.has(character), folded !== character && !isSyllable(character) && character > '\u007f')
  }
})

test('a folded text is its own folded form, character by character', () => {
  for (const folded of foldedCharacters().values()) assert.equal(foldText(folded), folded)
})

function* eachCharacter(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
  }
}

function isSyllable(character: string): boolean {
  const code = character.codePointAt(0)!
  return code >= hangul.syllables && code <= hangul.last
}

/** A new table needs a new `foldingVersion`, and the next run reads it. */
function writeTable(): void {
  let [last, lastFolded] = [0, 0]
  const entries: string[] = []
  for (const character of eachCharacter()) {
    const folded = foldByRule(character)
    if (folded === character || character <= '\u007f' || isSyllable(character)) continue
    const code = character.codePointAt(0)!
    const gaps = [code - last]
    for (const one of folded) {
      gaps.push(one.codePointAt(0)! - lastFolded)
      lastFolded = one.codePointAt(0)!
    }
    last = code
    entries.push(gaps.map((gap) => gap.toString(36)).join(' '))
  }
  const packed = deflateRawSync(entries.join(';'), { level: 9 }).toString('base64')
  const lines = packed.match(/.{1,112}/g)!.map((line) => `  '${line}'`)
  const head = `// Written by \`fold-text.test.ts\` from the rule of \`folding-rule.ts\` in Unicode ${process.versions.unicode}; \`fold-text.ts\` unpacks it.\n`
  const text = `${head}\nexport const packedFolding =\n${lines.join(' +\n')}\n`
  writeFileSync(join(import.meta.dirname, 'folding-table.ts'), text)
}
