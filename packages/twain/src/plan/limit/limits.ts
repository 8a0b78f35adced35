// The limits of product.md section 7, with the weights that the plan's cost and the document's cost share.

export interface Limits {
  /** Nested selection sets. 0 turns a limit off, here and below. */
  depth: number
  cost: number
  /** Most rows of a page. */
  page: number
  /** Bytes of a request body. */
  bodyBytes: number
  /** Bytes of an uploaded file. */
  uploadBytes: number
  /** Operations of a GraphQL batch. */
  batch: number
  /** Writes that are made together, and operations of a JSON patch. */
  transaction: number
  /** Tokens of a GraphQL document. */
  documentTokens: number
  /** Seconds that a request may take. */
  timeSeconds: number
  /** Seconds that a call of own code may take. */
  codeSeconds: number
  /** Bytes of results that a store caches while nothing is written; 0 caches none. */
  resultCacheBytes: number
}

export const defaultLimits: Limits = {
  depth: 5,
  cost: 1000,
  page: 100,
  bodyBytes: 1_048_576,
  uploadBytes: 10_485_760,
  batch: 10,
  transaction: 100,
  documentTokens: 2000,
  timeSeconds: 30,
  codeSeconds: 5,
  resultCacheBytes: 8_388_608,
}

/** A scalar costs 1, an object 2, and a list multiplies its field and all below by 10. */
export const weights = { scalar: 1, object: 2, list: 10 }
