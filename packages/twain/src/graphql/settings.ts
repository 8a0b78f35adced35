// The settings of the GraphQL API.

export interface GraphqlSettings {
  /** Whether introspection is allowed. Without it errors suggest no names of the schema either. */
  introspection: boolean
  /** A JSON file of trusted documents: `{"<hash>": "<document>"}`. */
  trustedDocuments: string | null
  /** Whether only trusted documents may run. */
  trustedDocumentsOnly: boolean
}

export const defaultGraphqlSettings: GraphqlSettings = {
  introspection: true,
  trustedDocuments: null,
  trustedDocumentsOnly: false,
}

/** A message for each invalid combination. */
export function graphqlMistakes({ trustedDocuments, trustedDocumentsOnly }: GraphqlSettings): string[] {
  if (!trustedDocumentsOnly || trustedDocuments !== null) return []
  return ['graphql.trustedDocumentsOnly requires graphql.trustedDocuments, the file of the trusted documents.']
}
