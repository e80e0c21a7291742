/**
 * The address of the service, with a slash at its end. Scripts are in `assets/` directly below it, so it is right below
 * every mount and every path of a proxy.
 */
export const serviceUrl = new URL('../', import.meta.url)
