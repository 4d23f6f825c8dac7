import java.net.URI;

/** One GET with java.net.HttpURLConnection. Argument: URL. */
class JavaUrlConnection {
    public static void main(String[] args) throws Exception {
        try (var body = URI.create(args[0]).toURL().openStream()) {
            body.readAllBytes();
        }
    }
}
