// The limits of docs/reference/limits.md.

import { defaultCacheBytes } from '#base'

/** The settings `limits.…`. */
export interface LimitSettings {
  /** Nested selection sets. 0 turns a limit off, here and below. */
  depth: number
  cost: number
  /** Rows of a page. */
  page: number
  /** Bytes of a request body. */
  bodyBytes: number
  /** Bytes of a body whose rows are written in portions. */
  importBytes: number
  /** Bytes of an uploaded file. */
  uploadBytes: number
  /** Bytes of the uploads of one client that no row refers to. */
  uploadsHeldBytes: number
  /** Operations of a GraphQL batch. */
  batch: number
  /** Writes in one transaction, and operations of a JSON Patch. */
  transaction: number
  /** Rows that one request creates from a list, or changes or deletes by a filter. */
  bulk: number
  /** Rows that a delete deletes or changes beside its own. */
  cascade: number
  /** Tokens of a GraphQL document. */
  documentTokens: number
  /** Seconds that a request may take. */
  timeSeconds: number
  /** Seconds that a call of custom code may take. */
  codeSeconds: number
  /** Estimated bytes of all caches of a node. */
  cacheBytes: number
  /** Bytes of the result cache of a store, which is one of them; 0 caches nothing. */
  resultCacheBytes: number
  /** Bytes of the write-ahead log of SQLite. */
  walBytes: number
}

export interface Limits extends LimitSettings {
  /** The widths and heights of variants of images (`files.sizes`); absent: there are none. */
  imageSizes?: readonly number[]
}

export const defaultLimits: LimitSettings = {
  depth: 5,
  cost: 1000,
  page: 100,
  bodyBytes: 1_048_576,
  importBytes: 104_857_600,
  uploadBytes: 10_485_760,
  uploadsHeldBytes: 104_857_600,
  batch: 10,
  transaction: 100,
  bulk: 1000,
  cascade: 10_000,
  documentTokens: 2000,
  timeSeconds: 30,
  codeSeconds: 5,
  cacheBytes: defaultCacheBytes,
  resultCacheBytes: 8_388_608,
  walBytes: 67_108_864,
}
