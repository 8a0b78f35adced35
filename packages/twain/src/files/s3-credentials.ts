// The credentials of S3 storage: keys of the settings, or the credential chain of AWS (environment, shared files, single sign-on,
// web identity, roles of containers and instances). The chain is an optional peer, which is loaded only if the settings name it.

import type { MaybePromise } from '#base'
import { StartRefused } from '#store'
import { fileStorageUnavailable } from './spool.ts'

interface S3Keys {
  accessKey: string
  secretKey: string
  /** Of temporary keys. */
  sessionToken: string | null
}

/** Called for each request: the chain renews temporary keys before they end. */
export type S3KeySource = () => MaybePromise<S3Keys>

/** Throws StartRefused if the peer is not installed. */
export async function openCredentialChain(): Promise<S3KeySource> {
  const { fromNodeProviderChain } = await loadPeer()
  const provide = fromNodeProviderChain()
  return async () => {
    try {
      const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken = null } = await provide()
      return { accessKey, secretKey, sessionToken }
    } catch (error) {
      throw fileStorageUnavailable(error)
    }
  }
}

async function loadPeer(): Promise<typeof import('@aws-sdk/credential-providers')> {
  try {
    return await import('@aws-sdk/credential-providers')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new StartRefused('files.credentials=aws needs another package: npm install @aws-sdk/credential-providers')
  }
}
