// Conversions between the name styles of the two APIs: `LoanRequest`, `loan-request`, `loanRequest`.

/** `LoanRequest`, `loanRequest`, `loan_request` → `loan-request`; `URLMap` → `url-map`. */
export function kebabCase(name: string): string {
  return words(name).join('-')
}

/** `loan-requests` → `loanRequests`. */
export function camelCase(path: string): string {
  return path.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** `my-shop.v2` → `My Shop V2`. */
export function titleCase(name: string): string {
  return words(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** The words of a name, in lower case. A run of capitals is one word, and its last letter begins the next word. */
function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
