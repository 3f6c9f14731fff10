/* bench/WekaFolds.java - Weka's classifiers on folds that are given: bench/beyond.py runs it.
 *
 * Usage: java -cp weka.jar WekaFolds.java TABLE.arff FOLDS.csv OUT "TITLE=CLASS OPTION..." ...
 *
 * FOLDS.csv is what `credence cv --out` writes; of it only row, repeat and fold are looked at.
 * OUT.TITLE gets a line for each answer: 1 when it is right, P(true class), and P(decided class).
 * A classifier that cannot do it leaves no OUT.TITLE.
 */
import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import weka.classifiers.Classifier;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.Utils;

class WekaFolds {
    /* fold.get(repeat)[row], both counted from 0. */
    static List<int[]> folds(String path, int rows) throws Exception {
        List<int[]> fold = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new FileReader(path))) {
            in.readLine();
            for (String line; (line = in.readLine()) != null;) {
                String[] field = line.split(",", 4);
                int repeat = Integer.parseInt(field[1]);
                while (fold.size() < repeat)
                    fold.add(new int[rows]);
                fold.get(repeat - 1)[Integer.parseInt(field[0]) - 2] = Integer.parseInt(field[2]);
            }
        }
        return fold;
    }

    static void answer(Instances data, int[] fold, int which, String[] words, PrintWriter out)
        throws Exception {
        Instances train = new Instances(data, 0);
        for (int i = 0; i < data.numInstances(); i++)
            if (fold[i] != which)
                train.add(data.instance(i));
        String[] options = new String[words.length - 1];
        System.arraycopy(words, 1, options, 0, options.length);
        Classifier classifier = Classifier.forName(words[0], options);
        classifier.buildClassifier(train);
        for (int i = 0; i < data.numInstances(); i++)
            if (fold[i] == which) {
                Instance row = data.instance(i);
                double[] p = classifier.distributionForInstance(row);
                int truth = (int) row.classValue();
                int decided = Utils.maxIndex(p);
                out.println((decided == truth ? 1 : 0) + " " + p[truth] + " " + p[decided]);
            }
    }

    public static void main(String[] args) throws Exception {
        Instances data = new Instances(new FileReader(args[0]));
        data.setClassIndex(data.numAttributes() - 1);
        List<int[]> folds = folds(args[1], data.numInstances());
        for (int k = 3; k < args.length; k++) {
            String[] learner = args[k].split("=", 2);
            File file = new File(args[2] + "." + learner[0]);
            try (PrintWriter out = new PrintWriter(file)) {
                for (int[] fold : folds)
                    for (int which = 1; which <= 10; which++)
                        answer(data, fold, which, Utils.splitOptions(learner[1]), out);
            } catch (Exception why) {
                System.err.println(args[k] + ": " + why);
                file.delete();
            }
        }
    }
}
