// Logins that look alike are one login: registering a look-alike is a conflict, and an account signs in with either form.
// This is Unicode's NFKC_Casefold as far as JavaScript supports it: one compatibility form, case folded, no invisible
// characters.

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

/** The form of an address that is surely the same mailbox: only the case of ASCII letters is ignored. Look-alikes are one login, but
 *  not one mailbox. SQL has it as `lower(…)`. */
export function mailboxOf(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
