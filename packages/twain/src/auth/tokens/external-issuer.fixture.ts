// An external issuer on a port of its own, which signs tokens with RS256.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export interface TestIssuer {
  /** Its `iss`. */
  name: string
  /** The address of its keys. */
  jwks: string
  jwk: JWK
  kid: string
  /** The paths that were fetched. */
  calls: string[]
  /** The status with which it answers. */
  state: { status: number }
  /** The audience is `api`, and the token expires after a minute, unless the claims say otherwise. */
  sign(claims: object, keyId?: string): Promise<string>
}

/** By issuer: making an RSA key takes long. */
const keyPairs = new Map<string, ReturnType<typeof generateKeyPair>>()

function keyPairOf(name: string): ReturnType<typeof generateKeyPair> {
  const pair = keyPairs.get(name) ?? generateKeyPair('RS256')
  keyPairs.set(name, pair)
  return pair
}

export async function openIssuer(t: TestContext, name = 'https://id.example'): Promise<TestIssuer> {
  const { publicKey, privateKey } = await keyPairOf(name)
  const kid = 'k1'
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256' }
  const calls: string[] = []
  const state = { status: 200 }
  const server = createServer((request, reply) => {
    calls.push(request.url ?? '')
    reply.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    name,
    jwks: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    jwk,
    kid,
    calls,
    state,
    sign(claims, keyId = kid) {
      const payload = { iss: name, aud: 'api', exp: Math.floor(Date.now() / 1000) + 60, ...claims }
      return new SignJWT(JSON.parse(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'RS256', kid: keyId })
        .sign(privateKey)
    },
  }
}
