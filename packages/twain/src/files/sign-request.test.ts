// The examples of Amazon's documentation ("Signature calculations for the authorization header").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyHash, type S3Request, signRequest } from './sign-request.ts'

const keys = {
  region: 'us-east-1',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const now = new Date('2013-05-24T00:00:00Z')
const bucket = 'https://examplebucket.s3.amazonaws.com'

test('signs the read of a range', () => {
  const headers = { range: 'bytes=0-9' }
  assert.equal(
    signatureOf({ method: 'GET', url: new URL(`${bucket}/test.txt`), headers, bodyHash: emptyHash }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})

test('signs the upload of an object', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
  const bodyHash = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'
  assert.equal(
    signatureOf({ method: 'PUT', url: new URL(`${bucket}/test%24file.text`), headers, bodyHash }),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
})

test('signs the list of a bucket', () => {
  const url = new URL(`${bucket}/?max-keys=2&prefix=J`)
  assert.equal(
    signatureOf({ method: 'GET', url, headers: {}, bodyHash: emptyHash }),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  )
})

function signatureOf(request: S3Request): string | undefined {
  return /Signature=(\w+)$/.exec(signRequest(request, keys, now).authorization!)?.[1]
}
