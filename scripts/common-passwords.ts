// `node scripts/common-passwords.ts LIST`: writes the filter of common passwords. LIST is a text file with one password in each line,
// the most common first, such as the million of the project SecLists (10-million-password-list-top-1000000.txt).
//
// Shorter passwords than an account may have are left out: the 100,000 that are stored are the most common of the others.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bitsOf } from '../packages/twain/src/plan/check/common-passwords/common-passwords.ts'

const count = 100_000
const bitsEach = 17
const target = join(import.meta.dirname, '../packages/twain/src/plan/check/common-passwords/common-passwords.bin')

const lines = readFileSync(process.argv[2]!, 'utf8').split(/\r?\n/)
const passwords = [...new Set(lines.filter(({ length }) => length >= 8).map((line) => line.toLowerCase()))].slice(
  0,
  count,
)
if (passwords.length < count) throw new Error(`The list has ${passwords.length} passwords of at least 8 characters.`)
const filter = Buffer.alloc((count * bitsEach) / 8)
for (const password of passwords)
  for (const bit of bitsOf(password, filter.length * 8)) filter[bit >> 3]! |= 1 << (bit & 7)
writeFileSync(target, filter)
console.log(`${passwords.length} passwords, ${filter.length} bytes`)
