import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

test('common passwords are found, whatever their capitals', () => {
  const common = [
    'password',
    'PassWord',
    '12345678',
    'qwertyuiop',
    'iloveyou',
    'trustno1',
    'Password1',
    '1q2w3e4r',
    'sunshine',
  ]
  assert.deepEqual(
    common.filter((password) => !isCommonPassword(password)),
    [],
  )
})

test('of 20,000 random passwords, few are taken for common ones', () => {
  const random = Array.from({ length: 20_000 }, () => randomBytes(9).toString('base64'))
  const refused = random.filter(isCommonPassword).length
  assert.ok(refused < 40, `${refused} of 20,000`) // about 5 are expected
})

test('the filter has less than 300 KB', () => {
  assert.ok(statSync(new URL('./common-passwords.bin', import.meta.url)).size < 300_000)
})
