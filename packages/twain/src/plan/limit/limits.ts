// The limits of product.md section 7, with the weights that the plan's cost and the document's cost share.

export interface Limits {
  /** Nested selection sets. 0 turns a limit off, here and below. */
  depth: number
  cost: number
  /** Most rows of a page. */
  page: number
  /** Bytes of a request body. */
  body: number
  /** Bytes of an uploaded file. */
  upload: number
  /** Operations of a GraphQL batch. */
  batch: number
  /** Writes that are made together, and operations of a JSON patch. */
  transaction: number
  /** Tokens of a GraphQL document. */
  tokens: number
  /** Seconds that a request may take. */
  time: number
  /** Seconds that a call of own code may take. */
  code: number
  /** MiB of answers that a store keeps while nothing is written; 0: none. */
  answers: number
}

export const defaultLimits: Limits = {
  depth: 5,
  cost: 1000,
  page: 100,
  body: 1_048_576,
  upload: 10_485_760,
  batch: 10,
  transaction: 100,
  tokens: 2000,
  time: 30,
  code: 5,
  answers: 8,
}

/** A scalar costs 1, an object 2, and a list multiplies its field and all below by 10. */
export const weights = { scalar: 1, object: 2, list: 10 }
