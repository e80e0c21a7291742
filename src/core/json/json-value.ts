/** A parsed JSON text. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
