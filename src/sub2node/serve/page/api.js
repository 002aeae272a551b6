// Requests to the service: JSON in and out, the token, and errors in words.

const KEY = "s2n-token";

export class ServiceError extends Error {
  constructor(message, status, { field, candidates, columns } = {}, wait = 0) {
    super(message[0].toUpperCase() + message.slice(1));
    Object.assign(this, { status, field, candidates, columns, wait });
  }

  /** Whether the same request may work a little later. */
  get passing() {
    return [0, 408, 429, 502, 503].includes(this.status);
  }
}

let tokenNeeded = () => {};
export const onTokenNeeded = (handler) => (tokenNeeded = handler);
export const tokenGiven = () => sessionStorage.getItem(KEY) !== null;
export const keepToken = (token) => sessionStorage.setItem(KEY, token);

async function request(path, options) {
  const headers = { ...options.headers };
  if (tokenGiven()) headers.Authorization = `Bearer ${sessionStorage.getItem(KEY)}`;
  let response;
  let data;
  try {
    response = await fetch(path, { ...options, headers });
    const html = response.headers.get("Content-Type").startsWith("text/html");
    data = await (html ? response.text() : response.json());
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const status = response ? response.status : 0;
    const words = response
      ? `The service answered with status ${status} and no explanation.`
      : "The service does not answer. Is it running, and are you online?";
    throw new ServiceError(words, status);
  }
  if (response.ok) return data;
  const wait = Number(response.headers.get("Retry-After"));
  const words = data.error || `The service answered with status ${response.status}.`;
  const error = new ServiceError(words, response.status, data, wait);
  if (error.status === 401) tokenNeeded(error);
  throw error;
}

export const get = (path, signal) => request(path, { signal });
const give = (type, path, body, signal) =>
  request(path, { method: "POST", signal, headers: { "Content-Type": type }, body });
export const post = (path, body, signal) =>
  give("application/json", path, JSON.stringify(body), signal);
/** Sends the bytes of a file. */
export const send = (path, file) => give("application/octet-stream", path, file);
