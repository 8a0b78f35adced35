import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camelCase, kebabCase, lowerFirst, titleCase } from './case.ts'

test('a name converts to kebab-case, a run of capitals is one word', () => {
  const expectedNames = {
    Post: 'post',
    LoanRequest: 'loan-request',
    loanRequest: 'loan-request',
    loan_request: 'loan-request',
    URLMap: 'url-map',
    HTTP: 'http',
    OAuth2Client: 'o-auth2-client',
    Route66: 'route66',
    _Hidden: 'hidden',
  }
  for (const [name, expected] of Object.entries(expectedNames)) assert.equal(kebabCase(name), expected)
})

test('a path converts to camelCase, a type gets a small first letter, a file name converts to title case', () => {
  assert.equal(camelCase('loan-requests'), 'loanRequests')
  assert.equal(camelCase('people'), 'people')
  assert.equal(lowerFirst('LoanRequest'), 'loanRequest')
  assert.equal(titleCase('my-shop_v2'), 'My Shop V2')
})
