import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOneAddress } from '#base'
import { defaultTexts } from './default-texts.ts'
import { mailMistakes } from './settings.ts'

test('the texts are escaped in HTML, and a subject has one line', async () => {
  const values = {
    code: 'ABCD1234',
    url: 'https://a.example/codes/link?token=x&y="',
    account: {},
    service: '<b>\nShop',
  }
  const reset = await defaultTexts.reset(values)
  assert.equal(reset.subject, '<b> Shop: reset your password')
  assert.ok(
    reset.html?.includes('href="https://a.example/codes/link?token=x&amp;y=&quot;"') && !reset.html.includes('<b>'),
  )
  assert.ok(reset.text.includes('ABCD-1234') && reset.text.includes(values.url))
  const signIn = await defaultTexts.signIn({ ...values, url: null })
  assert.ok(!signIn.html?.includes('href') && signIn.text.includes('ABCD-1234'))
})

test('settings: the sender and the form of the address', () => {
  const from = 'Shop <shop@example.com>'
  assert.deepEqual(mailMistakes({ url: null, from: null }), [])
  assert.deepEqual(mailMistakes({ url: 'smtps://u:p@mail.example.com', from }), [])
  assert.match(mailMistakes({ url: 'smtp://127.0.0.1:25', from: null })[0]!, /needs mail\.from/)
  const [mistake] = mailMistakes({ url: 'https://user:hidden@example.com', from })
  assert.ok(mistake?.startsWith('mail.url must be') && !mistake.includes('hidden'))
  assert.deepEqual(mailMistakes({ url: 'smtp://mail.example.com?tls=never', from }), [])
  assert.match(mailMistakes({ url: 'smtp://mail.example.com?tls=no', from })[0]!, /"required" or "never"/)
  assert.match(mailMistakes({ url: 'smtps://mail.example.com?tls=never', from })[0]!, /write smtp:/)
  assert.match(mailMistakes({ url: null, from: 'a@b.c\r\nBcc: x@y.z' })[0]!, /mail\.from must be/)
})

test('one address is no list of addresses', () => {
  for (const one of ['ann@example.org', 'ann+shop@mail.example', 'é@example.org']) assert.ok(isOneAddress(one), one)
  for (const other of [
    'a@x.org,b@y.org',
    'Ann <a@x.org>',
    'a@x.org b@y.org',
    'ann',
    'a@x.org\r\nBcc: b@y.org',
    'a;b@x.org',
  ])
    assert.ok(!isOneAddress(other), other)
})
