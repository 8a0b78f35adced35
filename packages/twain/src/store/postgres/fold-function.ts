// `twain_fold_1(text)`: the folded form of a text on PostgreSQL, the same as `foldText` of Node for every character.
//
// 1. Neither `lower` nor `normalize` beyond ASCII: what they do depends on the server's version and its libraries.
// 2. A text of ASCII, the usual one, takes no more than `lower`. In other texts each distinct character that has another form
//    is replaced: the table gives a folded text no other form, so the order of replacements does not matter.
// 3. The version of the table is part of the name. Nodes with an older table keep their function, and an index over the
//    function would never be wrong.

import { foldedCharacters, foldingVersion, hangul, hangulBlock, hangulFinals } from '#base'
import { quoteText } from '../tables/quote.ts'
import type { Session } from './connect/session.ts'
import { currentSchema } from './current-schema.ts'

export const foldFunction = `twain_fold_${foldingVersion}`

/** Creates the function if this schema of the database lacks it. Whoever calls this has the lock of migrations. */
export async function createFoldFunction(session: Session): Promise<void> {
  const [row] = await session.query(
    `SELECT EXISTS (SELECT 1 FROM pg_proc WHERE proname = ${quoteText(foldFunction)} ` +
      `AND pronamespace = ${currentSchema}) AS there`,
  )
  if (row?.there === true) return
  statement ??= createText()
  await session.script(statement)
}

/** Made once: it has the whole table. */
let statement: string | undefined

function createText(): string {
  return `CREATE FUNCTION ${foldFunction}(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS ${quoteText(body())}`
}

/** After so many distinct characters one query finds the others: it costs more to start, and less for each. */
const maxSearches = 50

/** A pattern of characters that may have another form: neither ASCII nor Han ideographs, of which texts have many distinct ones. */
const mayFold = '[^\\x01-\\x7f\\u4e00-\\u9fff]'

/** The table stands in an expression: PostgreSQL plans that once for a connection, and would copy a variable at each call. */
function body(): string {
  return `DECLARE
  folded text := lower(value COLLATE "C");
  rest text := folded;
  others text[];
  step integer := 0;
  c text;
  form text;
BEGIN
  IF octet_length(value) = length(value) THEN RETURN folded; END IF;
  LOOP
    step := step + 1;
    IF step <= ${maxSearches} THEN
      c := substring(rest, '${mayFold}');
      rest := replace(rest, c, '');
    ELSE
      IF others IS NULL THEN
        others := ARRAY(SELECT DISTINCT e.c FROM unnest(string_to_array(rest, NULL)) AS e(c));
      END IF;
      c := others[step - ${maxSearches}];
    END IF;
    IF c IS NULL THEN RETURN folded; END IF;
    form := ${formOf('c')};
    IF form IS NOT NULL THEN folded := replace(folded, c, form); END IF;
  END LOOP;
END`
}

/** SQL of the folded form of a character; NULL if that is the character itself. */
function formOf(c: string): string {
  const table = quoteText(JSON.stringify(Object.fromEntries(foldedCharacters())))
  const index = `(ascii(${c}) - ${hangul.syllables})`
  const final = `${index} % ${hangulFinals}`
  return `CASE WHEN ascii(${c}) BETWEEN ${hangul.syllables} AND ${hangul.last} THEN
      chr(${hangul.initial} + ${index} / ${hangulBlock}) || chr(${hangul.medial} + ${index} % ${hangulBlock} / ${hangulFinals}) ||
      CASE WHEN ${final} = 0 THEN '' ELSE chr(${hangul.final} + ${final}) END
    ELSE ${table}::jsonb ->> ${c} END`
}
