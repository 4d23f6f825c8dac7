import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** One GET with java.net.http. Arguments: URL, then 1 or 2 for the HTTP version. */
class JavaHttpClient {
    public static void main(String[] args) throws Exception {
        var version = args[1].equals("2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        var client = HttpClient.newBuilder().version(version).build();
        var request = HttpRequest.newBuilder(URI.create(args[0])).build();
        client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
