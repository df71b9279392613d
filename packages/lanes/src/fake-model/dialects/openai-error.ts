const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_exceeded',
};

/** The body of an error of the OpenAI dialects. */
export function openaiError(status: number, message: string): object {
  return {
    error: {
      message,
      type: TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: null,
      code: null,
    },
  };
}
