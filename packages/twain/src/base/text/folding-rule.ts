// The rule by which texts are folded for people: case and accents do not matter.
//
// NFKD, the marks of Latin, Greek, Cyrillic, Hebrew, Arabic and of no script dropped, small letters, `ß` is `ss`. The marks of
// other scripts are their vowels, and stay. The words of a search follow the rule as Node's Unicode has it. Comparisons in
// databases follow the table that was made from it (`fold-text.ts`).

export function foldByRule(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const plain = text.normalize('NFKD').slice(0, maxLength).replace(accentPattern, '')
  // Lower, upper, lower: some letters have no other case and still equal others: `ẞ`, `ß`, `ſ`, `ı`.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase()
  return folded.normalize('NFKD').replace(accentPattern, '').replaceAll('ς', 'σ')
}

const accentPattern =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Common}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv
