/** Variables of every app, as upstream sets them. */
export const APP_ENVIRONMENT: Readonly<Record<string, string>> = { APP_SECRET: 'supers3cret' };
