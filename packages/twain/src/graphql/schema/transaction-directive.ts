// `@transaction` as the schema tells it; what it does is in transaction.ts.

/** Stands in the schema of every contract with something to write. */
export const transactionDirective = `"All fields of the mutation in one transaction, in their order: all of them or none. Where an input takes an id, \\"$key.id\\" is that of the row of an earlier field, by the key that it is answered under."
directive @transaction on MUTATION`
