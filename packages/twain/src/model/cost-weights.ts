/** What a query costs: a scalar 1, an object 2, and a list multiplies its field and all below by 10. `@cost` replaces the weight
 *  of a field. */
export const weights = { scalar: 1, object: 2, list: 10 }
