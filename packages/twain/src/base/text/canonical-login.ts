// Logins that look alike are one: whoever registers a twin of a name that is there gets the conflict, and whoever signs in
// may write it either way. This is the Unicode standard's NFKC_Casefold, as far as JavaScript can do it by itself: of the
// compatible forms one, upper and lower case alike, nothing that can't be seen.

export function canonicalLogin(login: string): string {
  let canonical = login
  for (;;) {
    const folded = fold(canonical)
    if (folded === canonical) return folded
    canonical = folded
  }
}

/** By way of the capitals, since several small letters (ß and ss, ſ and s, ς and σ, ı and i) share theirs. */
function fold(text: string): string {
  const visible = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim()
}
