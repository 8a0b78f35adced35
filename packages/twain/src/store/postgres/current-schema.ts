/** SQL: the oid of the schema in which Twain's tables are, the first of the search_path. A cast reads a name as SQL does: without
 *  quotes its capitals would be small letters. */
export const currentSchema = 'quote_ident(current_schema())::regnamespace'
